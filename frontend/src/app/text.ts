/** Texts of the header, the menu and the error pages. */
export const text = {
  product: "Tercast",
  skip: "Skip to the content",
  menu: { label: "Pages", open: "Open the menu", close: "Close the menu" },
  pages: {
    network: "Network",
    topics: "Topics",
    participants: "Publishers and subscribers",
    requests: "Requests",
    budgets: "Budgets",
    analytics: "Analytics",
    explain: "Explain",
    experiments: "Experiments",
    health: "Health and audit",
  },
  account: {
    fallback: "Account",
    role: (role: string) => `Role: ${role}`,
    page: "Account and tokens",
    reference: "API reference",
    colors: "Colours",
    schemes: { auto: "System", light: "Light", dark: "Dark" },
    logOut: "Log out",
  },
  failedPage: { title: "The page cannot be shown", reload: "Reload the page" },
  notFound: {
    title: "Page not found",
    detail: (path: string) => `The dashboard has no page ${path}. Select a page in the menu.`,
    network: "Go to the network",
  },
};
