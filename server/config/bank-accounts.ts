/** Reads the provider's bank accounts, to which customers transfer money (decision 124). No message repeats a value. */
import * as z from 'zod/mini'
import { type BankAccount, bankAccount } from '#contract/invoices.ts'
import { line } from '#contract/values.ts'
import { currencies } from '#domain/money.ts'
import { type EnvironmentVariables, StartProblem } from '#server/config/config.ts'

const accountSetting = z.strictObject({
  currency: bankAccount.shape.currency,
  holder: line(140, 1),
  bank: line(140, 1),
  account: line(50, 1),
  bic: z.optional(z.nullable(line(20))),
  address: z.optional(z.nullable(line(200))),
})

const example =
  '[{"currency":"HKD","holder":"Example Ltd.","bank":"Example Bank","account":"012-345-678901-001","bic":"EXAMHKHH","address":"1 Example Road, Hong Kong"}]'

const createProblem = (reason: string) =>
  new StartProblem(`BANK_ACCOUNTS ${reason} It must be a JSON list like ${example}.`)

/** Accounts of the demo. No bank has them: each has a bank code that is not assigned. */
const demoAccounts: readonly BankAccount[] = [
  {
    currency: 'HKD',
    holder: 'm18 Demo Limited',
    bank: 'Demo Bank (Hong Kong)',
    account: '000-123456-001',
    bic: 'DEMOHKHH',
    address: '1 Demo Road, Hong Kong',
  },
  {
    currency: 'USD',
    holder: 'm18 Demo Limited',
    bank: 'Demo Bank (Hong Kong)',
    account: '000-123456-002',
    bic: 'DEMOHKHH',
    address: '1 Demo Road, Hong Kong',
  },
  {
    currency: 'RMB',
    holder: '示例软件（深圳）有限公司',
    bank: '示例银行深圳分行',
    account: '0000 1234 5678 9012 345',
    bic: '000000000000',
    address: '深圳市示例路 1 号',
  },
]

/** Returns at most one account per currency. Throws StartProblem if a value is missing or invalid. */
export function readBankAccounts(env: EnvironmentVariables, { demo }: { demo: boolean }): readonly BankAccount[] {
  const text = env['BANK_ACCOUNTS']?.trim()
  if (!text) return demo ? demoAccounts : []
  const accounts = parseList(text).map(readAccount)
  const twice = currencies.find((currency) => accounts.filter((account) => account.currency === currency).length > 1)
  if (twice) throw createProblem(`has two accounts for ${twice}, but each currency can have one.`)
  return accounts
}

function parseList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // The message below is about both.
  }
  throw createProblem('is not a JSON list.')
}

function readAccount(value: unknown, index: number): BankAccount {
  const result = accountSetting.safeParse(value)
  if (!result.success) {
    const [issue] = result.error.issues
    const name = issue?.path[0] ?? (issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined)
    throw createProblem(
      name === undefined
        ? `has an account (number ${index + 1}) that is not an object.`
        : `has an account (number ${index + 1}) with a wrong or missing "${String(name).slice(0, 40)}".`,
    )
  }
  const { bic, address, account, ...names } = result.data
  if (isWrongIban(account))
    throw createProblem(`has an account (number ${index + 1}) whose "account" is an IBAN with a typing error.`)
  return { ...names, account: account.trim(), bic: bic?.trim() || null, address: address?.trim() || null }
}

/** Checks the check digits (ISO 13616). Returns false for a number that is not an IBAN. */
function isWrongIban(account: string): boolean {
  const iban = account.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(iban)) return false
  const digits = (iban.slice(4) + iban.slice(0, 4)).replaceAll(/[A-Z]/g, (character) =>
    String(character.charCodeAt(0) - 55),
  )
  return BigInt(digits) % 97n !== 1n
}
