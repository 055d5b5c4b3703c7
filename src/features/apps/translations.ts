/** Messages of apps, loaded with their code: only devices of the provider's staff store them. */
import en from '#locales/en/apps.json'
import zh from '#locales/zh/apps.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('apps', { en, zh })
