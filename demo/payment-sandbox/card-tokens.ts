/** Issues card tokens, as Stripe does. Only test cards are stored; other cards are refused and not saved. */
import { createId } from '#demo/payment-sandbox/card-payments.ts'
import type { CardToken } from '#demo/payment-sandbox/sandbox-store.ts'
import { findTestCard, findCardNumber } from '#demo/payment-sandbox/test-cards.ts'

export interface CardInput {
  number: string
  expMonth: string
  expYear: string
  cvc: string
}

export interface CardError {
  type: 'card_error'
  code: string
  decline_code?: string
  param: 'number' | 'exp_month' | 'exp_year' | 'cvc'
  message: string
}

export const readCardInput = (fields: URLSearchParams): CardInput => ({
  number: (fields.get('card[number]') ?? '').replace(/[\s-]/g, ''),
  expMonth: fields.get('card[exp_month]') ?? '',
  expYear: fields.get('card[exp_year]') ?? '',
  cvc: fields.get('card[cvc]') ?? '',
})

/** Returns the earliest accepted expiry month, `YYYY-MM`. A card is valid until its month has ended in the last time zone. */
export const getEarliestExpiry = (now: number): string => new Date(now - 12 * 3_600_000).toISOString().slice(0, 7)

/** Returns null if the card is valid. `now` is in epoch ms. */
export function findCardError({ number, expMonth, expYear, cvc }: CardInput, now: number): CardError | null {
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number))
    return createCardError('number', 'incorrect_number', 'Your card number is incorrect.')
  const month = Number(expMonth)
  if (!/^\d{1,2}$/.test(expMonth) || month < 1 || month > 12)
    return createCardError('exp_month', 'invalid_expiry_month', "Your card's expiration month is invalid.")
  const year = parseYear(expYear)
  const [thisYear = 0, thisMonth = 0] = getEarliestExpiry(now).split('-').map(Number)
  const monthsLeft = ((year ?? 0) - thisYear) * 12 + month - thisMonth
  if (year === null || monthsLeft < 0 || monthsLeft > 50 * 12)
    return createCardError('exp_year', 'invalid_expiry_year', "Your card's expiration year is invalid.")
  if (!/^\d{3}$/.test(cvc)) return createCardError('cvc', 'invalid_cvc', "Your card's security code is invalid.")
  if (findTestCard(number)) return null
  return {
    ...createCardError('number', 'card_declined', 'Your card was declined. Only test cards can be used here.'),
    decline_code: 'test_mode_live_card',
  }
}

const createCardError = (param: CardError['param'], code: string, message: string): CardError => ({
  type: 'card_error',
  code,
  param,
  message,
})

/** Reads a year of four digits, or of two digits for a year of this century. */
function parseYear(text: string): number | null {
  if (/^\d{4}$/.test(text)) return Number(text)
  return /^\d{2}$/.test(text) ? 2000 + Number(text) : null
}

/** Luhn check (ISO/IEC 7812): every second digit from the right is doubled before the digits are added. */
function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

/** The prefix is `tok` for typed card fields and `ctoken` for a token of the Payment Element. */
export const buildCardToken = (prefix: 'tok' | 'ctoken', number: string, now: number): CardToken => ({
  id: createId(prefix),
  created: Math.floor(now / 1000),
  number,
  isUsed: false,
})

/** Stripe's test API creates a confirmation token from a test payment method. Returns null for any other method. */
export function buildConfirmationToken(fields: URLSearchParams, now: number): CardToken | null {
  const number = findCardNumber(fields.get('payment_method') ?? '')
  return number === null ? null : buildCardToken('ctoken', number, now)
}

export const toApiToken = ({ id, created, number, isUsed }: CardToken): object => ({
  id,
  object: id.startsWith('ctoken_') ? 'confirmation_token' : 'token',
  created,
  livemode: false,
  type: 'card',
  used: isUsed,
  card: { object: 'card', last4: number.slice(-4) },
})
