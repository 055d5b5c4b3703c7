import type { ModuleRow } from '#contract/modules.ts'
import { cleanText } from '#domain/text.ts'

export const moduleFields = ['code', 'name', 'dependencies', 'conditions', 'any_condition', 'apps'] as const
export type ModuleField = (typeof moduleFields)[number]

export type ModuleFormFields = Pick<ModuleRow, ModuleField>

/** Values of the inputs. `any_condition` has two radio buttons, so its value is a text. */
export type ModuleFormValues = Omit<ModuleFormFields, 'any_condition'> & { any_condition: 'all' | 'any' }

const emptyFields: ModuleFormFields = {
  code: '',
  name: '',
  dependencies: [],
  conditions: [],
  any_condition: false,
  apps: [],
}

export function toModuleValues(row: ModuleRow | null): ModuleFormValues {
  const { code, name, dependencies, conditions, any_condition: isAnyCondition, apps } = row ?? emptyFields
  return { code, name, dependencies, conditions, any_condition: isAnyCondition ? 'any' : 'all', apps }
}

export const fromModuleValues = (values: ModuleFormValues): ModuleFormFields => ({
  ...values,
  name: cleanText(values.name),
  any_condition: values.any_condition === 'any',
})

/** Builds the request body. A code that the server creates (D80) is omitted. Only hidden modules have conditions. */
export function toModuleBody(
  { code, conditions, any_condition, ...fields }: ModuleFormFields,
  { hidden, type }: Pick<ModuleRow, 'hidden' | 'type'>,
) {
  return {
    ...fields,
    type,
    hidden,
    ...(code === '' ? {} : { code }),
    ...(hidden ? { conditions, any_condition } : {}),
  }
}
