/** Messages of payment tasks, loaded with their code: only devices of the provider's admins store them. */
import en from '#locales/en/payment-tasks.json'
import zh from '#locales/zh/payment-tasks.json'
import enRefunds from '#locales/en/refunds.json'
import zhRefunds from '#locales/zh/refunds.json'
import enMoney from '#locales/en/money.json'
import zhMoney from '#locales/zh/money.json'
import { addMessages } from '#ui/i18n/messages.ts'

addMessages('payment-tasks', { en, zh })
addMessages('refunds', { en: enRefunds, zh: zhRefunds })
addMessages('money', { en: enMoney, zh: zhMoney })
