/** Messages are part of the code that uses them, not of a page, because no device stores either. */
import en from '#locales/en/sessions.json' with { type: 'json' }
import zh from '#locales/zh/sessions.json' with { type: 'json' }
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('sessions', { en, zh })
