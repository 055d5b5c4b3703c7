/** How much one company may take up of what all share (decision 70, docs/security.md). */
export const quotas = {
  /** Orders of services that wait to be paid: each reserves a service code. */
  unpaidOrders: 20,
  /** Days after which a sign-up that nobody activated gives its company code back. */
  activationDays: 7,
  /** Days after which it does so even with a link that is open: links can be sent again without end. */
  activationLinkDays: 14,
} as const
