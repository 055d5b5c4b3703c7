/** What the payer reads at the gateway, and the addresses that lead back from there. */
import { monthOf } from '#domain/fees/traffic.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/payment.json' with { type: 'json' }
import zh from '#locales/zh/payment.json' with { type: 'json' }
import type { Handle } from '#server/db/handle.ts'
import { type PayableRef, payableBackup, payableOrder, payableTraffic } from '#server/db/payments/payables.ts'
import { shownOrderOf } from '#server/db/hosting/services.ts'

const words = { en, zh }

/** As calls name what is paid (D66). */
const contractTypes = { order: 'CONTRACT', backup: 'PDBORDER', traffic: 'TRAFFIC' } as const

export const kindOf = { CONTRACT: 'order', PDBORDER: 'backup', TRAFFIC: 'traffic' } as const

/** Among all that is paid; gateways keep it beside the payment. */
export const nameOf = ({ kind, id }: PayableRef): string => `${contractTypes[kind]}-${id}`

/** Names no person; the same each time, as the gateway's key asks for. */
export async function descriptionOf(db: Handle, of: PayableRef, language: Language): Promise<string> {
  const { code, month } = await aboutOf(db, of)
  return words[language][texts[of.kind]]
    .replace('{{code}}', code)
    .replace('{{id}}', String(of.id))
    .replace('{{month}}', month)
}

const texts = { order: 'description', backup: 'backupDescription', traffic: 'trafficDescription' } as const

async function aboutOf(db: Handle, { kind, id }: PayableRef): Promise<{ code: string; month: string }> {
  if (kind === 'order') return { code: (await payableOrder(db, id))?.code ?? '', month: '' }
  if (kind === 'backup') return { code: (await payableBackup(db, id))?.service_code ?? '', month: '' }
  const traffic = await payableTraffic(db, id)
  return { code: traffic?.service_code ?? '', month: traffic ? monthOf(traffic.period_end) : '' }
}

/** The key is known to the gateway and the payer's browser alone. */
export const returnPath = (key: string) => `/public/payment/return/${key}`

export type PaymentOutcome = 'cancelled' | 'paid' | 'declined' | 'checking'

const unpaid = new Set<PaymentOutcome>(['cancelled', 'declined'])

/** The app's page of what is paid, by what came of it. Backups and traffic stand on a tab of their service's contract, where `paid` says which. */
export async function pageOf(db: Handle, { kind, id }: PayableRef): Promise<(outcome: PaymentOutcome) => string> {
  if (kind === 'order') {
    const paid = await payableOrder(db, id)
    // A change that is not paid stands on the page of its contract (D35).
    const shown =
      paid && paid.type !== 'create' ? await shownOrderOf(db, { companyId: paid.company_id, code: paid.code }) : null
    return (outcome) => `/saas/app/contract/${unpaid.has(outcome) ? (shown ?? id) : id}?payment=${outcome}`
  }
  const row = await (kind === 'backup' ? payableBackup(db, id) : payableTraffic(db, id))
  const order = row && (await shownOrderOf(db, { companyId: row.company_id, code: row.service_code }))
  const page = order ? `/saas/app/contract/${order}` : '/saas/app/contract'
  return (outcome) => `${page}?tab=subscribe&paid=${nameOf({ kind, id })}&payment=${outcome}`
}
