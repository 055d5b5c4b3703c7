/** Health of a customer's services in the list of customers: the state of the worst one. Higher is worse. */
export const customerHealth = { none: 0, good: 1, notice: 2, fault: 3 } as const
export type CustomerHealth = (typeof customerHealth)[keyof typeof customerHealth]
