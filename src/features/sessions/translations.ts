/** Loads the messages together with the code that uses them. Devices store neither of them. */
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('sessions', { en, zh })
