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

const SCHEMES = [
  { value: "auto", label: "As the system", icon: IconDeviceDesktop },
  { value: "light", label: "Light", icon: IconSun },
  { value: "dark", label: "Dark", icon: IconMoon },
] as const;

/** Who is logged in, the colour scheme, the API's page, and the way out. */
export function AccountMenu() {
  const { data: me } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="subtle" size="compact-sm" leftSection={<IconUserCircle size={18} aria-hidden />}>
          {me?.username ?? "Account"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me ? `Role: ${me.role}` : "…"}</Menu.Label>
        <Menu.Item component={Link} to="/account" leftSection={<IconKey size={16} aria-hidden />}>
          Account and tokens
        </Menu.Item>
        <Menu.Item component="a" href="/api/docs/">
          API reference
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {SCHEMES.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            fw={colorScheme === value ? 600 : undefined}
            leftSection={<Icon size={16} aria-hidden />}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={logOut}>
          Log out
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
