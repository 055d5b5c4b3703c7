/** Messages of refunds, loaded with their code: only devices of the provider's admins store them. */
import en from '#locales/en/refunds.json'
import zh from '#locales/zh/refunds.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('refunds', { en, zh })
