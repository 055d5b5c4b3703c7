/** They travel with the code that says them and not with a page's: no device keeps either. */
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('sessions', { en, zh })
