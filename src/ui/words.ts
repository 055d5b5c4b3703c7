/**
 * The one doorway to texts. A noun's file is a namespace; keys are typed by the English file, so that a wrong key does
 * not compile (I-02).
 */
import type { FieldProblem } from '#domain/checks.ts'
import type { Problem } from '#contract/problem.ts'
import { useMemo, useSyncExternalStore } from 'react'
import type about from '#locales/en/about.json'
import type accounts from '#locales/en/accounts.json'
import type activity from '#locales/en/activity.json'
import type company from '#locales/en/company.json'
import type contract from '#locales/en/contract.json'
import type device from '#locales/en/device.json'
import type entrance from '#locales/en/entrance.json'
import type factors from '#locales/en/factors.json'
import type fields from '#locales/en/fields.json'
import type home from '#locales/en/home.json'
import type orders from '#locales/en/orders.json'
import type outbox from '#locales/en/outbox.json'
import type payment from '#locales/en/payment.json'
import type people from '#locales/en/people.json'
import type passwords from '#locales/en/passwords.json'
import type plain from '#locales/en/plain.json'
import type problem from '#locales/en/problem.json'
import type profile from '#locales/en/profile.json'
import type sessions from '#locales/en/sessions.json'
import type shell from '#locales/en/shell.json'
import type staff from '#locales/en/staff.json'
import type ui from '#locales/en/ui.json'
import type users from '#locales/en/users.json'
import type visitors from '#locales/en/visitors.json'
import type wizard from '#locales/en/wizard.json'
import { find, needTexts, onWords, say, type Values, wordsNow } from '#ui/texts.ts'

interface Texts {
  about: typeof about
  accounts: typeof accounts
  activity: typeof activity
  company: typeof company
  contract: typeof contract
  device: typeof device
  entrance: typeof entrance
  factors: typeof factors
  fields: typeof fields
  home: typeof home
  orders: typeof orders
  outbox: typeof outbox
  passwords: typeof passwords
  payment: typeof payment
  people: typeof people
  plain: typeof plain
  problem: typeof problem
  profile: typeof profile
  sessions: typeof sessions
  shell: typeof shell
  staff: typeof staff
  ui: typeof ui
  users: typeof users
  visitors: typeof visitors
  wizard: typeof wizard
}
export type Namespace = keyof Texts

/** Keys of a file, dotted; those that count are named without their ending. */
type Keys<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Path}${Counted<K>}` : Keys<T[K], `${Path}${K}.`>
}[keyof T & string]
type Counted<K extends string> = K extends `${infer Base}_${'one' | 'other'}` ? Base : K

export type Words<N extends Namespace> = (key: Keys<Texts[N]>, values?: Values) => string

const wordsOf =
  <N extends Namespace>(namespace: N, _now: string): Words<N> =>
  (key, values) =>
    say(namespace, key, values)

/** Texts of one noun, in the language of now; the caller renders again when it changes, or when texts come that were missed. */
export function useWords<N extends Namespace>(namespace: N): Words<N> {
  const now = useSyncExternalStore(onWords, wordsNow)
  // A new function for new words, so that what depends on them is worked out again.
  return useMemo(() => wordsOf(namespace, now), [now, namespace])
}

/** Brings texts that a page does not begin with, for code that comes later: never rejects. */
export const loadTexts = (...namespaces: Namespace[]): Promise<void> => needTexts(namespaces)

/** A problem in words: ours by its code, else the server's, else the code itself (portal 8, M48). */
export function problemWords(problem: Problem): string {
  const { code, message } = problem
  const text = find('problem', code)
  if (text === null) return message || code
  const data: Values = typeof problem.data === 'object' && problem.data !== null ? { ...problem.data } : {}
  // A code out of an address brings no names with it: it has a sentence without them.
  const isWhole = [...text.matchAll(/{{(\w+)}}/g)].every(([, name = '']) => data[name])
  return say('problem', isWhole ? code : 'bare', data)
}

/** A field's problem in words; `label` is the field as the person sees it (M51). */
export function fieldWords(problem: Omit<FieldProblem, 'field'>, label: string): string {
  return say('fields', problem.code, { field: label, limit: problem.limit })
}
