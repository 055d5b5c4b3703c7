/** Messages that describe an amount due. The server's mails use them too. */
import en from '#locales/en/dues.json'
import zh from '#locales/zh/dues.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('dues', { en, zh })
