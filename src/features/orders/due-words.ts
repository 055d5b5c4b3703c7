/** The words of what is to be paid, which the server's mails use too. */
import en from '#locales/en/dues.json'
import zh from '#locales/zh/dues.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('dues', { en, zh })
