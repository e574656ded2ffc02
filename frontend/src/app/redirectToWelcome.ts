import { redirect } from "react-router";
import { readPage } from "@/common/tables/list";

/** An installation without a switch has nothing to show: it leads to the first steps. */
export async function redirectToWelcome(): Promise<Response | null> {
  try {
    const { results } = await readPage("/api/v1/switches/", { limit: 1 });
    return results.length === 0 ? redirect("/welcome") : null;
  } catch {
    return null; // the page itself says what is wrong
  }
}
