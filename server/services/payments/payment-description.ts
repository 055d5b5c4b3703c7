/** What the payer reads at the gateway, and the address that leads back from there. */
import type { Language } from '#domain/users.ts'
import en from '#locales/en/payment.json' with { type: 'json' }
import zh from '#locales/zh/payment.json' with { type: 'json' }
import type { Handle } from '#server/db/handle.ts'
import { payableOrder } from '#server/db/payments/payments.ts'

const words = { en, zh }

/** Names no person; the same each time, as the gateway's key asks for. */
export async function descriptionOf(db: Handle, orderId: number, language: Language): Promise<string> {
  const order = await payableOrder(db, orderId)
  return words[language].description.replace('{{code}}', order?.code ?? '').replace('{{id}}', String(orderId))
}

/** The key is known to the gateway and the payer's browser alone. */
export const returnPath = (key: string) => `/public/payment/return/${key}`
