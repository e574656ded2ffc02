import { Stack } from "@mantine/core";
import { PageHeader } from "@/common/layout/PageHeader";
import { OwnAccount } from "./OwnAccount";
import { Tokens } from "./Tokens";
import { text } from "./text";
import { Users } from "./Users";

/** Page with the user's permissions, password and tokens; for administrators, also with all users. */
export function Component() {
  return (
    <>
      <PageHeader title={text.title} />
      <Stack gap="xl">
        <OwnAccount />
        <Tokens />
        <Users />
      </Stack>
    </>
  );
}
