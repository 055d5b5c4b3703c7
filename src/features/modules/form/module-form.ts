/** A module's form: its values, what of them is sent, and how they meet a row that somebody else has changed meanwhile. */
import type { ModuleRow } from '#contract/modules.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { tidyText } from '#domain/text.ts'

export interface Values {
  code: string
  name: string
  dependencies: readonly string[]
  conditions: readonly string[]
  any_condition: boolean
  apps: readonly ModuleApp[]
}
export type Field = keyof Values

const fields = ['code', 'name', 'dependencies', 'conditions', 'any_condition', 'apps'] as const satisfies Field[]

export const newValues: Values = {
  code: '',
  name: '',
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
}

export const valuesOf = ({ code, name, dependencies, conditions, any_condition, apps }: ModuleRow): Values => ({
  code,
  name,
  dependencies,
  conditions,
  any_condition,
  apps,
})

const tidied = (values: Values): Values => ({ ...values, name: tidyText(values.name) })
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** What differs; a PUT leaves the rest alone. */
export const changesOf = (now: Values, before: Values): Partial<Values> =>
  Object.fromEntries(
    fields.filter((field) => !isSame(tidied(now)[field], before[field])).map((field) => [field, tidied(now)[field]]),
  )

/** After a conflict: theirs, with what was chosen here still over it. */
export const rebase = (typed: Values, before: Values, current: Values): Values => ({
  ...current,
  ...changesOf(typed, before),
})

/** Of a new one: a code that is left to the server is not sent (D80), nor conditions of one that needs none. */
export function bodyOf(values: Values, { hidden, type }: Pick<ModuleRow, 'hidden' | 'type'>) {
  const { code, name, dependencies, conditions, any_condition, apps } = tidied(values)
  const own = {
    name,
    type,
    hidden,
    dependencies: [...dependencies],
    apps: apps.map((app) => ({ code: app.code, flag: { ...app.flag } })),
  }
  return {
    ...own,
    ...(code === '' ? {} : { code }),
    ...(hidden ? { conditions: [...conditions], any_condition } : {}),
  }
}
