/** Texts of a refund that the dialog and the drawer share. */
import type { TFunction } from 'i18next'
import type { RefundRow } from '#contract/staff/refunds.ts'
import { isWithdrawn } from '#patterns/refunds/withdrawal.ts'
import type { TagTone } from '#ui/display/Tag.tsx'
import { findMessage } from '#ui/i18n/messages.ts'

type Translate = TFunction<'refunds'>

const providers = ['stripe', 'alipay', 'globalAlipay', 'simulate'] as const

/** Returns the name of the gateway. One that this build does not know has its code. */
export function describeGateway(gateway: string, t: Translate): string {
  const provider = providers.find((candidate) => candidate === gateway)
  return provider ? t(`provider.${provider}`) : gateway
}

/** Returns the text of a gateway's code for the reason of a refusal or dispute. Other reasons, such as sentences of a gateway, are returned as they are. */
export const describeGatewayReason = (reason: string): string =>
  (/^[a-z_]+$/.test(reason) ? findMessage('refunds', `gatewayReason.${reason}`) : null) ?? reason

/** A refund is refused by the gateway only, so a failed one has sent nothing back. */
const refundTones = {
  requested: 'pending',
  pending: 'pending',
  done: 'positive',
  failed: 'danger',
  returned: 'danger',
  beyond: 'danger',
} as const satisfies Record<string, TagTone>

/**
 * Returns the state of a refund. `returned`: it was done, and the gateway could not complete it later. `beyond`: it was made at the gateway and
 * exceeds what was left of the payment.
 */
export function getRefundState({ state, cause, problem, ended }: RefundRow): keyof typeof refundTones {
  const hasReturned = ended !== null && problem !== null && (state === 'done' || cause !== 'staff')
  if (hasReturned) return 'returned'
  return state === 'failed' && cause !== 'staff' ? 'beyond' : state
}

export const getRefundTone = (refund: RefundRow): TagTone => refundTones[getRefundState(refund)]

/** Returns the state that its tag shows. */
export const describeState = (refund: RefundRow, t: Translate): string =>
  t(`history.state.${refund.state !== 'done' && isWithdrawn(refund) ? 'withdrawn' : getRefundState(refund)}`)

/** Returns where the money is: "Sent to Stripe, not confirmed yet." */
export function describeMoney(refund: RefundRow, t: Translate): string {
  const { route, cause, gateway: code, reference } = refund
  const problem = refund.problem === null ? null : describeGatewayReason(refund.problem)
  const state = getRefundState(refund)
  const gateway = describeGateway(code, t)
  if (refund.state !== 'done' && isWithdrawn(refund))
    return t(state === 'failed' ? 'history.withdrawn' : 'history.withdrawing', { gateway })
  if (state === 'beyond') return t('history.beyond', { gateway })
  if (state === 'failed' || state === 'returned') return t(`history.${state}`, { gateway, problem: problem ?? '–' })
  if (state !== 'done' && problem !== null) return t('history.problem', { gateway, problem })
  if (state !== 'done') return t(`history.${state}`, { gateway })
  if (cause !== 'staff') return t(`history.${cause}Cause`, { gateway })
  return t(`history.${route}`, { gateway, reference: reference ?? '' })
}
