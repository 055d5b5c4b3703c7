/** The words of paying come with its code. */
import en from '#locales/en/payment.json'
import zh from '#locales/zh/payment.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'payment', en)
i18n.addResourceBundle('zh', 'payment', zh)
