import { Anchor, Drawer, Loader, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { blocks, linkedPlace, PAGES, section } from "./docsPages";
import { Markdown } from "./Markdown";

interface Place {
  page: string;
  heading: string;
}

/** Opens a part of the documentation beside the page; `to` is "monitoring.md, Audits". */
export function DocsLink({ to, children }: { to: string; children?: string }) {
  const [page = "", heading = ""] = to.split(", ");
  const [place, setPlace] = useState<Place | null>(null);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setPlace({ page, heading })}>
        {children ?? "In the documentation"}
      </Anchor>
      <Drawer
        opened={place !== null}
        onClose={() => setPlace(null)}
        position="right"
        size="xl"
        title={`docs/${place?.page ?? page}`}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {place && <Part place={place} go={setPlace} />}
      </Drawer>
    </>
  );
}

function Part({ place, go }: { place: Place; go: (place: Place) => void }) {
  const text = useQuery({
    queryKey: ["docs", place.page],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const load = PAGES.get(place.page);
      if (!load) throw new Error(`There is no page ${place.page} in the documentation.`);
      return blocks(await load());
    },
  });
  const follow = (link: string) => {
    const target = linkedPlace(place.page, link);
    return target && (() => go(target));
  };
  if (text.error) return <ProblemAlert problem={text.error} />;
  if (!text.data) return <Loader role="status" size="sm" aria-label="Loading" />;
  return (
    <Stack gap="sm">
      <Markdown nodes={section(text.data, place.heading)} follow={follow} />
    </Stack>
  );
}
