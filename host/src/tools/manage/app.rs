//! Apps: started, restarted, ended, reset, given permissions.

use handset_model::Failure;
use serde_json::json;

use super::lifecycle::{Order, manage};
use crate::action::{Action, Aim, Defaults, GuardArgs, run};
use crate::device::{Input, Manage};
use crate::tools::args::{AppArgs, PermissionArgs, StartAppArgs};
use crate::tools::{Answer, Call, OUTER};

pub(in crate::tools) async fn start_app(call: Call) -> Result<Answer, Failure> {
    let args: StartAppArgs = call.parse()?;
    let input = Input::StartApp { app_id: args.app_id.clone(), user: args.user };
    launch(call, args, "start_app", input, Defaults::START_APP).await
}

pub(in crate::tools) async fn restart_app(call: Call) -> Result<Answer, Failure> {
    let args: StartAppArgs = call.parse()?;
    let input = Input::RestartApp { app_id: args.app_id.clone(), user: args.user };
    launch(call, args, "restart_app", input, Defaults::RESTART_APP).await
}

async fn launch(
    call: Call,
    args: StartAppArgs,
    action_type: &'static str,
    input: Input,
    defaults: Defaults,
) -> Result<Answer, Failure> {
    let session = call.session(&args.target).await?;
    let outer = call.budget(OUTER);
    let context = call.action_context(&session, &outer);
    let action = Action {
        action_type,
        aim: Aim::Nothing,
        input,
        controls: args.controls.resolve(defaults),
        guard: GuardArgs::default(),
        arguments: json!({ "appId": args.app_id }),
        shared: call.shared,
        app: Some(args.app_id.clone()),
    };
    Ok(Answer::Action(Box::new(run(context, action).await)))
}

pub(in crate::tools) async fn terminate_app(call: Call) -> Result<Answer, Failure> {
    let args: AppArgs = call.parse()?;
    let what = Manage::Terminate { app_id: args.app_id };
    let order = Order { action_type: "terminate_app", done: "appTerminated", what, user: args.user };
    manage(&call, &args.target, order).await
}

pub(in crate::tools) async fn reset_app_data(call: Call) -> Result<Answer, Failure> {
    let args: AppArgs = call.parse()?;
    let what = Manage::Reset { app_id: args.app_id };
    let order = Order { action_type: "reset_app_data", done: "dataCleared", what, user: args.user };
    manage(&call, &args.target, order).await
}

pub(in crate::tools) async fn grant_permission(call: Call) -> Result<Answer, Failure> {
    permission(call, "grant_permission", "permissionGranted", true).await
}

pub(in crate::tools) async fn revoke_permission(call: Call) -> Result<Answer, Failure> {
    permission(call, "revoke_permission", "permissionRevoked", false).await
}

async fn permission(
    call: Call,
    action_type: &'static str,
    done: &'static str,
    granted: bool,
) -> Result<Answer, Failure> {
    let args: PermissionArgs = call.parse()?;
    let what = Manage::Permission { app_id: args.app_id, permission: args.permission, granted };
    manage(&call, &args.target, Order { action_type, done, what, user: args.user }).await
}
