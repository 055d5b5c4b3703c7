/** Finds labels of record fields, for lists of changes. Loaded only with the code that needs them. */
import en from '#locales/en/field-labels.json'
import zh from '#locales/zh/field-labels.json'
import { addMessages, i18n } from '#ui/i18n/messages.ts'

addMessages('field-labels', { en, zh })

export const findFieldLabel = (field: string): string | undefined =>
  Object.hasOwn(en, field) ? i18n.t(field as keyof typeof en, { ns: 'field-labels' }) : undefined
