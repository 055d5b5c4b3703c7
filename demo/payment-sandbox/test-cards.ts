/** Stripe's well-known test cards, by number and by token, and what their bank says. */

export interface TestCard {
  verdict: 'ok' | 'asks' | 'asks, then declines' | 'declines'
  code?: string
  declineCode?: string
}

const ok: TestCard = { verdict: 'ok' }
const asks: TestCard = { verdict: 'asks' }
const declines = (declineCode: string): TestCard => ({ verdict: 'declines', code: 'card_declined', declineCode })
const wrong = (code: string): TestCard => ({ verdict: 'declines', code })

const byNumber: Record<string, TestCard> = {
  '4242424242424242': ok,
  '5555555555554444': ok,
  '6200000000000005': ok,
  '4000000000000002': declines('generic_decline'),
  '4000000000009995': declines('insufficient_funds'),
  '4000000000009979': declines('stolen_card'),
  '4000000000000069': wrong('expired_card'),
  '4000000000000127': wrong('incorrect_cvc'),
  '4000002500003155': asks,
  '4000002760003184': asks,
  '4000008400001629': { verdict: 'asks, then declines', code: 'card_declined', declineCode: 'generic_decline' },
}

/** Without spaces. */
export const testCardNumbers: readonly string[] = Object.keys(byNumber)

const byToken: Record<string, string> = {
  tok_visa: '4242424242424242',
  tok_mastercard: '5555555555554444',
  tok_unionpay: '6200000000000005',
  tok_chargeDeclined: '4000000000000002',
  tok_chargeDeclinedInsufficientFunds: '4000000000009995',
  tok_chargeDeclinedExpiredCard: '4000000000000069',
  tok_chargeDeclinedIncorrectCvc: '4000000000000127',
  tok_threeDSecure2Required: '4000002500003155',
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_unionpay: '6200000000000005',
  pm_card_visa_chargeDeclined: '4000000000000002',
  pm_card_visa_chargeDeclinedInsufficientFunds: '4000000000009995',
  pm_card_chargeDeclinedExpiredCard: '4000000000000069',
  pm_card_chargeDeclinedIncorrectCvc: '4000000000000127',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_threeDSecureRequired: '4000002500003155',
  pm_card_threeDSecureRequiredChargeDeclined: '4000008400001629',
}

/** Spaces are as people type them; null: no test card, and a real one is refused like any other. */
export const cardOf = (number: string): TestCard | null => byNumber[number.replace(/[\s-]/g, '')] ?? null

export const cardOfToken = (token: string): string | null => byToken[token] ?? null
