/** Loaded with the code of services, which only devices of users with the order right and of staff store. */
import en from '#locales/en/services.json'
import zh from '#locales/zh/services.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('services', { en, zh })
