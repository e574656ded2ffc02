import { Stack } from "@mantine/core";
import { PageHeader } from "@/common/layout/PageHeader";
import { OwnAccount } from "./OwnAccount";
import { Tokens } from "./Tokens";
import { Users } from "./Users";

/** The caller's own rights and password, tokens, and users for administrators. */
export function Component() {
  return (
    <>
      <PageHeader title="Account and tokens" />
      <Stack gap="xl">
        <OwnAccount />
        <Tokens />
        <Users />
      </Stack>
    </>
  );
}
