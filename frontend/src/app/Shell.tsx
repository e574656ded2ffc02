import { AppShell, Burger, Group, NavLink, ScrollArea, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useEffect, useRef } from "react";
import { Link, Outlet, useLocation } from "react-router";
import { LiveBadge } from "@/live/LiveBadge";
import { AccountMenu } from "./AccountMenu";
import { PAGES } from "./pages";
import { text } from "./text";

/** Frame of all pages: header, menu and the open page. The focus moves to a page when it opens. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the page moves the focus
  useEffect(() => {
    close();
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [pathname]);

  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 230, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding="md"
    >
      <AppShell.Header>
        <a className="skip" href="#main">
          {text.skip}
        </a>
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? text.menu.close : text.menu.open}
          />
          <img src="/static/live/icon.svg" alt="" width={22} height={22} />
          <Text fw={650} size="lg" component="span">
            {text.product}
          </Text>
          <LiveBadge />
          <span style={{ flex: 1 }} />
          <AccountMenu />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={text.menu.label}>
        <AppShell.Section grow component={ScrollArea}>
          {PAGES.map(({ path, label, icon: Icon }) => (
            <NavLink
              key={path}
              component={Link}
              to={path}
              label={label}
              leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
              active={pathname === path || pathname.startsWith(`${path}/`)}
              aria-current={pathname.startsWith(path) ? "page" : undefined}
            />
          ))}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} ref={main} style={{ outline: "none" }}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
