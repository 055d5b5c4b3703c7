/** The words of services come with the code that says them: only devices of people who order, and of the provider's staff, keep either. */
import en from '#locales/en/services.json'
import zh from '#locales/zh/services.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'services', en)
i18n.addResourceBundle('zh', 'services', zh)
