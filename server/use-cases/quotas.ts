/** Limits on what one company may take of shared resources (decision 70, docs/security.md). */
export const quotas = {
  /** Unpaid orders of services. Each reserves a service code. */
  unpaidOrders: 20,
  /** Days after which a sign-up that was not activated releases its company code. */
  activationDays: 7,
  /** Days after which this happens even with a valid activation link, because links can be sent again without limit. */
  activationLinkDays: 14,
} as const
