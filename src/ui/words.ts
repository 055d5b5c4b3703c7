/**
 * The one doorway to texts. A noun's file is a namespace; keys are typed by the English file, so that a wrong key does
 * not compile (I-02).
 */
import type { FieldProblem } from '#domain/checks.ts'
import type { Problem } from '#contract/problem.ts'
import i18next, { type TFunction } from 'i18next'
import { useMemo, useSyncExternalStore } from 'react'
import type accounts from '#locales/en/accounts.json'
import type activity from '#locales/en/activity.json'
import type fields from '#locales/en/fields.json'
import type home from '#locales/en/home.json'
import type outbox from '#locales/en/outbox.json'
import type plain from '#locales/en/plain.json'
import type problem from '#locales/en/problem.json'
import type shell from '#locales/en/shell.json'
import type ui from '#locales/en/ui.json'
import type users from '#locales/en/users.json'

interface Texts {
  accounts: typeof accounts
  activity: typeof activity
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

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'ui'
    resources: Texts
  }
}

export type Words<N extends Namespace> = TFunction<N>

function onLanguage(hear: () => void) {
  i18next.on('languageChanged', hear)
  return () => i18next.off('languageChanged', hear)
}

/** Texts of one noun, in the language of now; the caller renders again when it changes. */
export function useWords<N extends Namespace>(namespace: N): Words<N> {
  const language = useSyncExternalStore(onLanguage, () => i18next.language)
  // A new function for a new language, so that what depends on the words is worked out again.
  return useMemo(() => i18next.getFixedT(language, namespace) as unknown as Words<N>, [language, namespace])
}

/** A problem in words: ours by its code, else the server's, else the code itself (portal 8, M48). */
export function problemWords(problem: Problem): string {
  const data = typeof problem.data === 'object' && problem.data !== null ? problem.data : {}
  const key = `problem:${problem.code}`
  // A code comes from the server: that it is a known key is what `exists` has just answered.
  if (i18next.exists(key)) return (i18next.t as (key: string, data: object) => string)(key, { ...data })
  return problem.message || problem.code
}

/** A field's problem in words; `label` is the field as the person sees it (M51). */
export function fieldWords(problem: Omit<FieldProblem, 'field'>, label: string): string {
  const key = `fields:${problem.code}`
  const named = { field: label, limit: problem.limit }
  if (i18next.exists(key)) return (i18next.t as (key: string, data: object) => string)(key, named)
  return problem.code
}
