/** The words of apps come with the code that says them: only devices of the provider's staff keep either. */
import en from '#locales/en/apps.json'
import zh from '#locales/zh/apps.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('apps', { en, zh })
