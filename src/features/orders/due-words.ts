/** The words of what is to be paid, which the server's mails use too. */
import en from '#locales/en/dues.json'
import zh from '#locales/zh/dues.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'dues', en)
i18n.addResourceBundle('zh', 'dues', zh)
