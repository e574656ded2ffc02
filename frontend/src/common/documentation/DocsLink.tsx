import { Anchor, Drawer, Loader, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "@/common/text";
import { blocks, linkedPlace, PAGES, section } from "./docsPages";
import { Markdown } from "./Markdown";

/** Part of the documentation: a page by its path below `docs/`, and the heading of a section. */
export interface Place {
  page: string;
  heading: string;
}

/** Link that opens a part of the documentation in a drawer. `to` is for example "monitoring.md, Audits". */
export function DocsLink({ to, children = text.documentation.link }: { to: string; children?: string }) {
  const [page = "", heading = ""] = to.split(", ");
  const [place, setPlace] = useState<Place | null>(null);
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setPlace({ page, heading })}>
        {children}
      </Anchor>
      <DocsDrawer place={place} go={setPlace} />
    </>
  );
}

/** Drawer with a part of the documentation; closed while `place` is null. */
export function DocsDrawer({ place, go }: { place: Place | null; go: (place: Place | null) => void }) {
  return (
    <Drawer
      opened={place !== null}
      onClose={() => go(null)}
      position="right"
      size="xl"
      title={place && text.documentation.title(place.page)}
      closeButtonProps={{ "aria-label": text.close }}
    >
      {place && <Part place={place} go={go} />}
    </Drawer>
  );
}

function Part({ place, go }: { place: Place; go: (place: Place) => void }) {
  const page = useQuery({
    queryKey: ["docs", place.page],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const load = PAGES.get(place.page);
      if (!load) throw new Error(text.documentation.missing(place.page));
      return blocks(await load());
    },
  });
  const follow = (link: string) => {
    const target = linkedPlace(place.page, link);
    return target && (() => go(target));
  };
  if (page.error) return <ProblemAlert problem={page.error} />;
  if (!page.data) return <Loader role="status" size="sm" aria-label={text.loading} />;
  return (
    <Stack gap="sm">
      <Markdown nodes={section(page.data, place.heading)} follow={follow} />
    </Stack>
  );
}
