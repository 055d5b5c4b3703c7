/**
 * The one doorway to texts. A noun's file is a namespace; keys are typed by the English file, so that a wrong key does
 * not compile (I-02).
 */
import type { FieldProblem } from '#domain/checks.ts'
import type { Language } from '#domain/users.ts'
import type { Problem } from '#contract/problem.ts'
import { useMemo, useSyncExternalStore } from 'react'
import type accounts from '#locales/en/accounts.json'
import type activity from '#locales/en/activity.json'
import type device from '#locales/en/device.json'
import type fields from '#locales/en/fields.json'
import type home from '#locales/en/home.json'
import type outbox from '#locales/en/outbox.json'
import type plain from '#locales/en/plain.json'
import type problem from '#locales/en/problem.json'
import type shell from '#locales/en/shell.json'
import type ui from '#locales/en/ui.json'
import type users from '#locales/en/users.json'
import { find, languageNow, onLanguage, say, type Values } from '#ui/texts.ts'

interface Texts {
  accounts: typeof accounts
  activity: typeof activity
  device: typeof device
  fields: typeof fields
  home: typeof home
  outbox: typeof outbox
  plain: typeof plain
  problem: typeof problem
  shell: typeof shell
  ui: typeof ui
  users: typeof users
}
export type Namespace = keyof Texts

/** Keys of a file, dotted; those that count are named without their ending. */
type Keys<T, Path extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${Path}${Counted<K>}` : Keys<T[K], `${Path}${K}.`>
}[keyof T & string]
type Counted<K extends string> = K extends `${infer Base}_${'one' | 'other'}` ? Base : K

export type Words<N extends Namespace> = (key: Keys<Texts[N]>, values?: Values) => string

const wordsOf =
  <N extends Namespace>(namespace: N, _language: Language): Words<N> =>
  (key, values) =>
    say(namespace, key, values)

/** Texts of one noun, in the language of now; the caller renders again when it changes. */
export function useWords<N extends Namespace>(namespace: N): Words<N> {
  const language = useSyncExternalStore(onLanguage, languageNow)
  // A new function for a new language, so that what depends on the words is worked out again.
  return useMemo(() => wordsOf(namespace, language), [language, namespace])
}

/** A problem in words: ours by its code, else the server's, else the code itself (portal 8, M48). */
export function problemWords(problem: Problem): string {
  if (find('problem', problem.code) === null) return problem.message || problem.code
  const data = typeof problem.data === 'object' && problem.data !== null ? problem.data : {}
  return say('problem', problem.code, { ...data })
}

/** A field's problem in words; `label` is the field as the person sees it (M51). */
export function fieldWords(problem: Omit<FieldProblem, 'field'>, label: string): string {
  return say('fields', problem.code, { field: label, limit: problem.limit })
}
