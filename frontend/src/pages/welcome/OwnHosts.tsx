import { Anchor, List, Loader, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { api, type Schemas } from "@/api/client";
import { DocsLink } from "@/common/documentation/DocsLink";
import { advertisementName } from "@/common/formatting/names";
import { quoteShellWord } from "@/common/formatting/shell";
import { CopyText } from "@/common/layout/CopyText";
import { StateBadge } from "@/common/requests/StateBadge";
import { readPage } from "@/common/tables/list";
import { text as common } from "@/common/text";
import { sample } from "./sample";
import { text } from "./text";

/** Commands for the user's own hosts: one listens and one publishes, with the registered names. */
export function OwnHosts() {
  const found = usePair();
  if (!found.data) return <Loader role="status" size="sm" aria-label={common.loading} />;
  const pair = found.data;
  if (!pair.advertisement || !pair.subscription) {
    return (
      <Text size="sm" role="status">
        {text.own.notReady}{" "}
        <Anchor component={Link} to="/requests" size="sm" underline="always">
          {text.own.requests}
        </Anchor>
      </Text>
    );
  }
  const { advertisement, subscription } = pair;
  const { listen, publish } = commands(pair);
  return (
    <Stack gap="xs" data-own-hosts>
      <Title order={3}>{text.own.title}</Title>
      <Text size="sm">
        {text.own.commands} {text.own.token}{" "}
        <Anchor component={Link} to="/account" size="sm" underline="always">
          {text.own.createToken}
        </Anchor>
        . {text.own.interface}
      </Text>
      <List size="sm" spacing="xs" type="ordered">
        <List.Item>
          {text.own.listen(subscription.subscriber)} <StateBadge state={subscription.state} />
          <br />
          <CopyText text={listen} what={text.own.listenObject} />
        </List.Item>
        <List.Item>
          {text.own.publish(advertisement.publisher)} <StateBadge state={advertisement.state} />
          <br />
          <CopyText text={publish} what={text.own.publishObject} />
        </List.Item>
      </List>
      <Text size="sm">
        {text.own.result}{" "}
        <Anchor component={Link} to="/explain" size="sm" underline="always">
          {text.own.explain}
        </Anchor>
        {". "}
        <DocsLink to="client.md, On the command line">{text.own.more}</DocsLink>
      </Text>
    </Stack>
  );
}

type Advertisement = Schemas["Advertisement"];
type Subscription = Schemas["Subscription"];

type Pair = NonNullable<ReturnType<typeof usePair>["data"]>;

function commands({ advertisement, subscription, values, sentFrom, wantedAt }: Pair) {
  const line = (words: readonly string[]) => words.map(quoteShellWord).join(" ");
  const platform = ["--api", location.origin, "--token-file", "TOKEN"];
  const at = (host: string | undefined, address: string | undefined) => [
    ...["--host", host ?? ""],
    ...["--udp", `${address}%INTERFACE`],
  ];
  const given = Object.entries(values).flatMap(([name, value]) => ["--value", `${name}=${value}`]);
  const named = ["--advertisement", advertisementName(advertisement?.id ?? 0)];
  return {
    listen: line(["tercast", "listen", ...platform, ...at(subscription?.host, wantedAt)]),
    publish: line([
      "tercast",
      "publish",
      ...platform,
      ...at(advertisement?.host, sentFrom),
      ...named,
      ...given,
    ]),
  };
}

/** Query for an active subscription, an advertisement, and an event that the platform would deliver between them. */
function usePair() {
  return useQuery({
    queryKey: ["/api/v1/advertisements/", "own-hosts"],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) => {
      const live = { state: "active", limit: 50 };
      const [sent, wanted, topics] = await Promise.all([
        readPage<Advertisement>("/api/v1/advertisements/", live, signal),
        readPage<Subscription>("/api/v1/subscriptions/", live, signal),
        readPage<Schemas["Topic"]>("/api/v1/topics/", { limit: 100 }, signal),
      ]);
      const { advertisement, subscription, values } = await findPair(
        sent.results,
        wanted.results,
        topics.results,
      );
      const address = async (host: string | undefined) =>
        host
          ? (await readPage<Schemas["Host"]>("/api/v1/hosts/", { name: host }, signal)).results[0]?.ip
          : "";
      return {
        sentFrom: await address(advertisement?.host),
        wantedAt: await address(subscription?.host),
        subscription,
        advertisement,
        values,
      };
    },
  });
}

const TRIED = 8; // pairs that the platform is asked about

interface TestPair {
  advertisement?: Advertisement;
  subscription?: Subscription;
  values: Record<string, unknown>;
}

async function findPair(
  sent: readonly Advertisement[],
  wanted: readonly Subscription[],
  topics: readonly Schemas["Topic"][],
): Promise<TestPair> {
  const pairs = wanted.flatMap((subscription) =>
    sent
      .filter(({ topic }) => subscription.matched && topic === subscription.topic)
      .map((advertisement) => ({ advertisement, subscription })),
  );
  for (const { advertisement, subscription } of pairs.slice(0, TRIED)) {
    const topic = topics.find(({ name }) => name === advertisement.topic);
    const both = [advertisement.filter ?? "", subscription.filter ?? ""].join(" and ");
    const values = sample(topic?.attributes ?? [], both);
    if (await reaches(advertisement, subscription, values)) return { advertisement, subscription, values };
  }
  return { values: {} };
}

async function reaches(from: Advertisement, to: Subscription, values: Record<string, unknown>) {
  const query = { publisher: advertisementName(from.id), values: JSON.stringify(values) };
  try {
    const { data } = await api.GET("/api/v1/explain/", { params: { query } });
    return data?.received.some(({ host, reason }) => reason === "match" && host === to.host) ?? false;
  } catch {
    return false; // the API refuses an event outside the advertisement
  }
}
