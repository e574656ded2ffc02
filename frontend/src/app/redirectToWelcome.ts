import { redirect } from "react-router";
import { read } from "@/common/tables/list";

/** An installation without a switch has nothing to show: it leads to the first steps. */
export async function leadOn(): Promise<Response | null> {
  try {
    const { results } = await read("/api/v1/switches/", { limit: 1 });
    return results.length === 0 ? redirect("/welcome") : null;
  } catch {
    return null; // the page itself says what is wrong
  }
}
