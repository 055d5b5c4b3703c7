/** The words of price lists come with their pages, which only the provider's staff have. */
import en from '#locales/en/prices.json'
import zh from '#locales/zh/prices.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'prices', en)
i18n.addResourceBundle('zh', 'prices', zh)
