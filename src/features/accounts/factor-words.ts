/** Loads the messages of the second factor with its code. They are not needed before a password was accepted. */
import en from '#locales/en/factors.json'
import zh from '#locales/zh/factors.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('factors', { en, zh })
