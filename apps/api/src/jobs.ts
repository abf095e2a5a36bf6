import { recountDuplicatesJob } from '#src/modules/catalogue/tools/tools.jobs.ts';
import { refreshAnalyticsJob } from '#src/modules/income/analytics/analytics.jobs.ts';
import type { LineStore } from '#src/modules/income/lines/lines.service.ts';
import {
  dropStatementJob,
  readStatementJob,
  resumeStatementsJob,
} from '#src/modules/income/statements/statements.jobs.ts';
import { sealChain } from '#src/modules/money/ledger/chain.service.ts';
import { sendRoyaltyLetterJob } from '#src/modules/money/royalty-statements/royalty-letters.service.ts';
import { publishRoyaltyRunJob } from '#src/modules/money/royalty-statements/royalty-runs.service.ts';
import { applyRetentionJob } from '#src/modules/people/privacy/retention.service.ts';
import { liftFactorJob } from '#src/modules/people/staff/access.service.ts';
import { sendFactorCodeJob, sendInvitationJob, sendPasswordResetJob } from '#src/modules/people/staff/auth.jobs.ts';
import { sendMailJob } from '#src/modules/people/staff/delivery.service.ts';
import { deleteExpiredJob, reportFailedJobsJob } from '#src/modules/people/staff/staff.jobs.ts';
import { backUpJob, reportLateBackupJob } from '#src/modules/platform/backups/backups.jobs.ts';
import { deleteOrphanFilesJob } from '#src/modules/platform/files/files.jobs.ts';
import { anchorChainJob, verifyLedgerJob } from '#src/modules/platform/verify/verify.jobs.ts';
import type { BackupSettings } from './env.ts';
import { type Jobs, resumeJobsJob } from './lib/jobs.ts';
import type { SendMail } from './lib/mail.ts';

export function createJobs(options: {
  sendMail: SendMail;
  publicUrl: string;
  sessionSecret: string;
  lettersPerMinute: number;
  lines: LineStore;
  uploadsDir: string;
  /** Where letters are written without a mail server. */
  outboxDir?: string;
  ownerUrl: string;
  thread?: { storageUrl: string; linesDir: string };
  backup?: BackupSettings | undefined;
  anchorFile?: string | undefined;
  anchorMail?: string | undefined;
}): Jobs {
  return {
    send_mail: sendMailJob(options.sendMail),
    send_password_reset: sendPasswordResetJob(options),
    send_invitation: sendInvitationJob(options),
    send_factor_code: sendFactorCodeJob(options),
    lift_factor: liftFactorJob,
    tidy_up: deleteExpiredJob,
    report_failed_jobs: reportFailedJobsJob,
    tidy_files: deleteOrphanFilesJob({ storage: options.lines.storage, uploadsDir: options.uploadsDir }),
    back_up: backUpJob({ ...options, filesDir: options.lines.storage.folder }),
    report_late_backup: reportLateBackupJob,
    verify_ledger: verifyLedgerJob(options),
    seal_chain: (_payload, { db }) => sealChain(db),
    anchor_chain: anchorChainJob(options),
    recount_duplicates: recountDuplicatesJob,
    read_statement: readStatementJob(options),
    resume_jobs: resumeJobsJob,
    resume_statements: resumeStatementsJob,
    drop_statement: dropStatementJob,
    publish_royalty_run: publishRoyaltyRunJob(options),
    send_royalty_letter: sendRoyaltyLetterJob(options),
    refresh_analytics: refreshAnalyticsJob,
    apply_retention: applyRetentionJob(options),
  };
}
