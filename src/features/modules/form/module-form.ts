/** A module's form: its values, what of them is sent, and how they meet a row that somebody else has changed meanwhile. */
import type { ModuleRow } from '#contract/modules.ts'
import type { ModuleApp } from '#domain/checks/module-checks.ts'
import { cleanText } from '#domain/text.ts'

export interface ModuleValues {
  code: string
  name: string
  dependencies: readonly string[]
  conditions: readonly string[]
  any_condition: boolean
  apps: readonly ModuleApp[]
}
export type ModuleField = keyof ModuleValues

const fields = ['code', 'name', 'dependencies', 'conditions', 'any_condition', 'apps'] as const satisfies ModuleField[]

export const emptyModuleValues: ModuleValues = {
  code: '',
  name: '',
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
}

export const toModuleValues = ({
  code,
  name,
  dependencies,
  conditions,
  any_condition,
  apps,
}: ModuleRow): ModuleValues => ({
  code,
  name,
  dependencies,
  conditions,
  any_condition,
  apps,
})

const normaliseValues = (values: ModuleValues): ModuleValues => ({ ...values, name: cleanText(values.name) })
const isSame = (first: unknown, second: unknown) => JSON.stringify(first) === JSON.stringify(second)

/** What differs; a PUT leaves the rest alone. */
export const toModuleChanges = (currentValues: ModuleValues, baseValues: ModuleValues): Partial<ModuleValues> =>
  Object.fromEntries(
    fields
      .filter((field) => !isSame(normaliseValues(currentValues)[field], baseValues[field]))
      .map((field) => [field, normaliseValues(currentValues)[field]]),
  )

/** After a conflict: theirs, with what was chosen here still over it. */
export const rebaseValues = (
  localValues: ModuleValues,
  baseValues: ModuleValues,
  serverValues: ModuleValues,
): ModuleValues => ({
  ...serverValues,
  ...toModuleChanges(localValues, baseValues),
})

/** Of a new one: a code that is left to the server is not sent (D80), nor conditions of one that needs none. */
export function toModuleBody(values: ModuleValues, { hidden, type }: Pick<ModuleRow, 'hidden' | 'type'>) {
  const { code, name, dependencies, conditions, any_condition, apps } = normaliseValues(values)
  const commonFields = {
    name,
    type,
    hidden,
    dependencies: [...dependencies],
    apps: apps.map((app) => ({ code: app.code, flag: { ...app.flag } })),
  }
  return {
    ...commonFields,
    ...(code === '' ? {} : { code }),
    ...(hidden ? { conditions: [...conditions], any_condition } : {}),
  }
}
