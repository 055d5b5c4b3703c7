/** Messages of payment tasks, loaded with their code: only devices of the provider's admins store them. */
import en from '#locales/en/payment-tasks.json'
import zh from '#locales/zh/payment-tasks.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'payment-tasks', en)
i18n.addResourceBundle('zh', 'payment-tasks', zh)
