/** Limits on what one company may take of shared resources (decision 70, docs/security.md). */
export const quotas = {
  /** Maximum number of unpaid orders of services. Each of them reserves a service code. */
  unpaidOrders: 20,
  /** Number of days after which a sign-up that was not activated releases its company code. */
  activationDays: 7,
  /** Number of days after which the code is released even with a valid activation link, because links can be sent again without limit. */
  activationLinkDays: 14,
} as const
