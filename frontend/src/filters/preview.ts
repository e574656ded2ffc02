import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "@/api/client";

export type Preview = Schemas["PreviewAnswer"];

export interface PreviewQuestion {
  topic: string;
  filter: string;
  kind: "subscription" | "advertisement";
  /** A registered publisher or subscriber, or the host of a new one. */
  publisher?: string;
  subscriber?: string;
  host?: string;
}

const TYPING = 250; // ms after the last key
const AGAIN = 2_000; // ms, if the planner was busy

/** Answer of the server for a filter while it is typed. `of` is the text of the answer. */
export function usePreview(asked: PreviewQuestion | null) {
  const [settled] = useDebouncedValue(asked, TYPING);
  const query = useQuery<{ of: string; answer: Preview }>({
    queryKey: ["filters/preview", settled],
    enabled: settled !== null,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
    staleTime: 2_000,
    refetchInterval: (found) => (found.state.data?.answer.unknown ? AGAIN : false),
    queryFn: async ({ signal }) => {
      const body = settled as PreviewQuestion;
      const { data } = await api.POST("/api/v1/filters/preview/", { body: { ...body, limit: 64 }, signal });
      return { of: body.filter, answer: data as Preview };
    },
  });
  const current = settled?.filter === asked?.filter && !query.isPlaceholderData;
  return {
    answer: query.data?.answer ?? null,
    of: query.data?.of,
    error: query.error,
    busy: asked !== null && (!current || query.isFetching),
  };
}
