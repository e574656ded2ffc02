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
import { sample } from "./sample";

/** What to type at hosts of one's own: one that listens, one that publishes, with the names that are registered. */
export function OwnHosts() {
  const found = usePair();
  if (!found.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  const pair = found.data;
  if (!pair.advertisement || !pair.subscription) {
    return (
      <Text size="sm" role="status">
        A publisher and a subscriber of the same topic have to be active, and some event has to be in both of
        their filters.{" "}
        <Anchor component={Link} to="/requests" size="sm" underline="always">
          See how far their requests are
        </Anchor>
      </Text>
    );
  }
  const { advertisement, subscription } = pair;
  const { listen, publish } = commands(pair);
  return (
    <Stack gap="xs" data-own-hosts>
      <Title order={3}>Send an event and see it arrive</Title>
      <Text size="sm">
        All is registered. These commands come with Tercast; TOKEN is a file with a{" "}
        <Anchor component={Link} to="/account" size="sm" underline="always">
          token
        </Anchor>
        , INTERFACE the host's one that leads to its switch.
      </Text>
      <List size="sm" spacing="xs" type="ordered">
        <List.Item>
          Listen at the host of {subscription.subscriber} <StateBadge state={subscription.state} />
          <br />
          <CopyText text={listen} what="the command that listens" />
        </List.Item>
        <List.Item>
          Publish at the host of {advertisement.publisher} <StateBadge state={advertisement.state} />
          <br />
          <CopyText text={publish} what="the command that publishes" />
        </List.Item>
      </List>
      <Text size="sm">
        The listener prints the event with its delay.{" "}
        <Anchor component={Link} to="/explain" size="sm" underline="always">
          Explain
        </Anchor>{" "}
        says why one does not arrive.{" "}
        <DocsLink to="client.md, On the command line">More about the commands</DocsLink>
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

/** A live subscription, an advertisement and an event of it that reaches the subscriber, by the platform's word. */
function usePair() {
  return useQuery({
    queryKey: ["/api/v1/advertisements/", "to try by hand"],
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
    const both = `${advertisement.filter ?? ""} and ${subscription.filter ?? ""}`;
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
    return false; // what lies outside the advertisement is refused
  }
}
