import { Button, Menu, useMantineColorScheme } from "@mantine/core";
import {
  IconDeviceDesktop,
  IconKey,
  IconLogout,
  IconMoon,
  IconSun,
  IconUserCircle,
} from "@tabler/icons-react";
import { Link } from "react-router";
import { csrfToken } from "@/api/client";
import { useMe } from "@/api/me";
import { text } from "./text";

const SCHEMES = [
  { value: "auto", icon: IconDeviceDesktop },
  { value: "light", icon: IconSun },
  { value: "dark", icon: IconMoon },
] as const;

/** Menu of the user: role, account page, API reference, colour scheme and logout. */
export function AccountMenu() {
  const { data: me } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" leftSection={<IconUserCircle size={18} aria-hidden />}>
          {me?.username ?? text.account.fallback}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me ? text.account.role(me.role) : "…"}</Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconKey size={16} aria-hidden />}>
          {text.account.page}
        </Menu.Item>
        <Menu.Item component="a" href="/api/docs/">
          {text.account.reference}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{text.account.colors}</Menu.Label>
        {SCHEMES.map(({ value, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            fw={colorScheme === value ? 600 : undefined}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(value)}
          >
            {text.account.schemes[value]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={logOut}>
          {text.account.logOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function logOut() {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/logout/";
  const token = document.createElement("input");
  token.type = "hidden";
  token.name = "csrfmiddlewaretoken";
  token.value = csrfToken();
  form.append(token);
  document.body.append(form);
  form.submit();
}
