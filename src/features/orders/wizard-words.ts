/** The words of ordering come with its code, which only people who may order have. */
import en from '#locales/en/wizard.json'
import zh from '#locales/zh/wizard.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'wizard', en)
i18n.addResourceBundle('zh', 'wizard', zh)
