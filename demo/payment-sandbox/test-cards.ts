export interface TestCard {
  verdict: 'ok' | 'asks' | 'asks, then declines' | 'declines'
  code?: string
  declineCode?: string
}

const okCard: TestCard = { verdict: 'ok' }
const challengeCard: TestCard = { verdict: 'asks' }
const createDecline = (declineCode: string): TestCard => ({ verdict: 'declines', code: 'card_declined', declineCode })
const createRefusal = (code: string): TestCard => ({ verdict: 'declines', code })

const cardsByNumber: Record<string, TestCard> = {
  '4242424242424242': okCard,
  '5555555555554444': okCard,
  '6200000000000005': okCard,
  '4000000000000002': createDecline('generic_decline'),
  '4000000000009995': createDecline('insufficient_funds'),
  '4000000000009979': createDecline('stolen_card'),
  '4000000000000069': createRefusal('expired_card'),
  '4000000000000127': createRefusal('incorrect_cvc'),
  '4000002500003155': challengeCard,
  '4000002760003184': challengeCard,
  '4000008400001629': { verdict: 'asks, then declines', code: 'card_declined', declineCode: 'generic_decline' },
}

export const testCardNumbers: readonly string[] = Object.keys(cardsByNumber)

const numbersByToken: Record<string, string> = {
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

/** Returns null if the number is not one of a test card; real cards are refused. Ignores spaces and hyphens. */
export const findTestCard = (number: string): TestCard | null => cardsByNumber[number.replace(/[\s-]/g, '')] ?? null

export const findCardNumber = (token: string): string | null => numbersByToken[token] ?? null
