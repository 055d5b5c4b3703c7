/** Simulates payments without money, for the provider's staff (S-22). Stores nothing, so queries return no payment. */
import type { PaymentDriver } from '#server/drivers/payment/payment-driver.ts'

export const simulatedPaymentDriver: PaymentDriver = {
  start: async ({ key, money }) => ({
    kind: 'taken',
    payment: { key, gatewayId: `simulated-${key}`, status: 'paid', ...money },
  }),
  query: async () => null,
  close: async () => null,
  refund: async ({ refundKey }) => ({ status: 'done', reference: refundKey }),
  queryRefund: async () => null,
  readRefunds: async () => ({ refunds: [], total: null }),
  listRecentRefunds: async () => [],
  readDisputes: async () => [],
  readNotice: async () => null,
  readReturn: async () => null,
  acknowledgement: '',
}
