/** Messages of the second factor, loaded with its code: nobody needs them before a password was accepted. */
import en from '#locales/en/factors.json'
import zh from '#locales/zh/factors.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('factors', { en, zh })
