import { redirect } from "react-router";
import { readPage } from "@/common/tables/list";

/** Redirect to the first steps if the installation has no switch. */
export async function redirectToWelcome(): Promise<Response | null> {
  try {
    const { results } = await readPage("/api/v1/switches/", { limit: 1 });
    return results.length === 0 ? redirect("/welcome") : null;
  } catch {
    return null; // the page shows the error
  }
}
