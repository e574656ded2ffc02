import { Anchor, List, Loader, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { Schemas } from "@/api/client";
import { CopyText } from "@/common/CopyText";
import { DocsLink } from "@/common/Docs";
import { read } from "@/common/list";
import { advertisementName } from "@/common/names";
import { StateBadge } from "@/common/StateBadge";
import { sample } from "./sample";

/** What to type at hosts of one's own: one that listens, one that publishes, with the names that are registered. */
export function OwnHosts() {
  const found = usePair();
  if (!found.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  const { advertisement, subscription, topic, sentFrom, wantedAt } = found.data;
  if (!advertisement || !subscription) {
    return (
      <Text size="sm" role="status">
        A publisher and a subscriber of the same topic have to be active.{" "}
        <Anchor component={Link} to="/requests" size="sm" underline="always">
          See how far their requests are
        </Anchor>
      </Text>
    );
  }
  const platform = `--api ${location.origin} --token-file TOKEN`;
  const values = Object.entries(
    sample(topic?.attributes ?? [], `${advertisement.filter ?? ""} and ${subscription.filter ?? ""}`),
  );
  const given = values.map(([name, value]) => `'${name}=${value}'`).join(" ");
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
          <CopyText
            text={`tercast listen ${platform} --host ${subscription.host} --udp ${wantedAt}%INTERFACE`}
            what="the command that listens"
          />
        </List.Item>
        <List.Item>
          Publish at the host of {advertisement.publisher} <StateBadge state={advertisement.state} />
          <br />
          <CopyText
            text={`tercast publish ${platform} --host ${advertisement.host} --udp ${sentFrom}%INTERFACE --advertisement ${advertisementName(advertisement.id)} --value ${given}`}
            what="the command that publishes"
          />
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

/** A live subscription that meets an advertisement, with one of its topic. */
function usePair() {
  return useQuery({
    queryKey: ["/api/v1/advertisements/", "to try by hand"],
    refetchInterval: 5_000,
    queryFn: async ({ signal }) => {
      const live = { state: "active", limit: 50 };
      const [sent, wanted, topics] = await Promise.all([
        read<Advertisement>("/api/v1/advertisements/", live, signal),
        read<Subscription>("/api/v1/subscriptions/", live, signal),
        read<Schemas["Topic"]>("/api/v1/topics/", { limit: 100 }, signal),
      ]);
      const met = wanted.results.filter((one) => sent.results.some(({ topic }) => topic === one.topic));
      const subscription = met.find(({ matched }) => matched) ?? met[0];
      const advertisement = sent.results.find(({ topic }) => topic === subscription?.topic);
      const address = async (host: string | undefined) =>
        host ? (await read<Schemas["Host"]>("/api/v1/hosts/", { name: host }, signal)).results[0]?.ip : "";
      return {
        sentFrom: await address(advertisement?.host),
        wantedAt: await address(subscription?.host),
        subscription,
        advertisement,
        topic: topics.results.find(({ name }) => name === advertisement?.topic),
      };
    },
  });
}
