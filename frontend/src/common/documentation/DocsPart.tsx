import { Loader, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ProblemAlert } from "@/common/layout/ProblemAlert";
import { text } from "@/common/text";
import { blocks, linkedPlace, PAGES, section } from "./docsPages";
import { Markdown } from "./Markdown";
import type { Place } from "./place";

/** Part of the documentation; links to other parts call `go`. */
export function DocsPart({ place, go }: { place: Place; go: (place: Place) => void }) {
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
