/** Messages of services, loaded with their code: only devices of users with the order right and of the provider's staff store them. */
import en from '#locales/en/services.json'
import zh from '#locales/zh/services.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('services', { en, zh })
