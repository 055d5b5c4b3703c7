/** The words of the second factor come with its code, which nobody needs before a password was right. */
import en from '#locales/en/factors.json'
import zh from '#locales/zh/factors.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('factors', { en, zh })
